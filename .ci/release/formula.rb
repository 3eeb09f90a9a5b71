# Reads the formula in a folder as Homebrew does on each system, and compares what it fetches and installs with the
# archives there. Homebrew itself is not needed.
#
#   ruby .ci/release/formula.rb FOLDER
require "digest"
require "tmpdir"

SYSTEM = []    # the system that reads the formula
PARTS = {}     # what the formula says
INSTALLED = [] # what it installs, by folder

Folder = Struct.new(:name) do
  def install(*files)
    files.flatten.each do |f|
      abort "#{f} is not in the archive" unless File.exist?(f)
      INSTALLED << self / File.basename(f)
    end
  end

  def /(file) = "#{name}/#{file}"
end

# Formula stands in for Homebrew's.
class Formula
  %i[desc homepage version license url sha256].each do |name|
    define_singleton_method(name) { |text| PARTS[name] = text }
  end
  { on_macos: "darwin", on_linux: "linux", on_arm: "arm64", on_intel: "amd64" }.each do |name, part|
    define_singleton_method(name) { |&block| block.call if SYSTEM.include?(part) }
  end
  def self.test = nil

  %i[bin man1 doc].each { |name| define_method(name) { Folder.new(name) } }
  def generate_completions_from_executable(program, word)
    abort "completions of #{program} #{word}" unless INSTALLED.include?(program) && word == "completion"
  end
end

folder = File.expand_path(ARGV.fetch(0))
%w[darwin linux].product(%w[arm64 amd64]).each do |os, arch|
  SYSTEM.replace([os, arch])
  [PARTS, INSTALLED].each(&:clear)
  load File.join(folder, "assay.rb")
  archive = File.join(folder, File.basename(PARTS.fetch(:url)))
  abort "#{os}/#{arch}: #{archive}" unless archive.end_with?("-v#{PARTS.fetch(:version)}-#{os}-#{arch}.tar.gz")
  abort "#{archive}: another checksum" unless Digest::SHA256.file(archive).hexdigest == PARTS.fetch(:sha256)
  Dir.mktmpdir do |dir|
    system("tar", "-xzf", archive, "--strip-components=1", "-C", dir, exception: true)
    Dir.chdir(dir) { Assay.new.install }
  end
  abort "#{archive}: installs #{INSTALLED}" unless INSTALLED.include?("bin/assay") && INSTALLED.include?("man1/assay.1")
end
puts "assay.rb: four archives, #{INSTALLED.size} files each"
