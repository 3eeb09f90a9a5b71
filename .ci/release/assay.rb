# The formula for Homebrew: brew install assay-chess/assay/assay, once it is in the tap of that name.
class Assay < Formula
  desc "Self-play data, evaluation tuning and SPRT matches for chess engines"
  homepage "https://github.com/assay-chess/assay"
  version "@version@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/assay-chess/assay/releases/download/v@version@/assay-v@version@-darwin-arm64.tar.gz"
      sha256 "@sha256 assay-v@version@-darwin-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/assay-chess/assay/releases/download/v@version@/assay-v@version@-darwin-amd64.tar.gz"
      sha256 "@sha256 assay-v@version@-darwin-amd64.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/assay-chess/assay/releases/download/v@version@/assay-v@version@-linux-arm64.tar.gz"
      sha256 "@sha256 assay-v@version@-linux-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/assay-chess/assay/releases/download/v@version@/assay-v@version@-linux-amd64.tar.gz"
      sha256 "@sha256 assay-v@version@-linux-amd64.tar.gz@"
    end
  end

  def install
    bin.install "assay"
    man1.install Dir["man1/*.1"]
    doc.install "LICENCES.txt", "THIRD_PARTY.md"
    generate_completions_from_executable(bin/"assay", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/assay version")
  end
end
