# The same as list.py.
$| = 1;
open my $list, "<", shift;
@games = <$list>;
while (<STDIN>) {
	print "uciok\n" if /^uci$/;
	print "readyok\n" if /^isready/;
	s/ moves//;
	$start = "$1 " if /^position (.*\S)/;
	last if /^quit/;
	next unless /^go/;
	my $color = 1 - (() = $start =~ / /g) % 2;
	my ($game) = map $games[$_], grep { $_ % 2 == $color && !index $games[$_], $start } 0 .. $#games;
	print "bestmove ", (split ' ', substr $game, length $start)[0], "\n";
}
