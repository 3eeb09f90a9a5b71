# Plays the games of a list again, of which it had White in the first, third, fifth, ... one.
import sys
games, key = open(sys.argv[1]).read().splitlines(), []
for line in sys.stdin:
    word = line.split()
    if word[0] == "uci": print("uciok")
    if word[0] == "isready": print("readyok")
    if word[0] == "position": key = [w for w in word[1:] if w != "moves"]
    if word[0] == "go":
        start = " ".join(key) + " "
        print("bestmove", next(g[len(start):].split()[0] for g in games[1 - len(key) % 2::2] if g.startswith(start)))
    if word[0] == "quit": break
    sys.stdout.flush()
