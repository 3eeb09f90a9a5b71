// The same as list.py.
using System;
using System.IO;
using System.Linq;

class List {
	static void Main(string[] args) {
		string line, start = "";
		var games = File.ReadAllLines(args[0]);
		while ((line = Console.ReadLine()) != null && line != "quit") {
			if (line == "uci") Console.WriteLine("uciok");
			if (line == "isready") Console.WriteLine("readyok");
			if (line.StartsWith("position ")) start = line.Substring(9).Replace(" moves", "") + " ";
			if (!line.StartsWith("go")) continue;
			int color = start.Split(' ').Length % 2;
			var game = games.Where((g, i) => i % 2 == color && g.StartsWith(start, StringComparison.Ordinal)).First();
			Console.WriteLine("bestmove " + game.Substring(start.Length).Split(' ')[0]);
		}
	}
}
