# The same as list.py.
$stdout.sync = true
games, start = File.readlines(ARGV[0]), ""
STDIN.each_line do |line|
  word, rest = line.chomp.split(" ", 2)
  puts "uciok" if word == "uci"
  puts "readyok" if word == "isready"
  start = rest.sub(" moves", "") + " " if word == "position"
  break if word == "quit"
  next unless word == "go"
  color = 1 - start.count(" ") % 2
  game = games.each_with_index.find { |g, i| i % 2 == color && g.start_with?(start) }[0]
  puts "bestmove " + game[start.size..].split[0]
end
