// The same as list.py.
import java.nio.file.*;
import java.util.*;

class List {
    public static void main(String[] args) throws Exception {
        String[] games = Files.readString(Path.of(args[0])).split("\n");
        String start = "";
        for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
            String line = in.nextLine().trim();
            if (line.equals("uci")) System.out.println("uciok");
            if (line.equals("isready")) System.out.println("readyok");
            if (line.startsWith("position ")) start = line.substring(9).replace(" moves", "") + " ";
            if (line.startsWith("go"))
                for (int i = 1 - start.split(" ").length % 2; i < games.length; i += 2)
                    if (games[i].startsWith(start)) {
                        System.out.println("bestmove " + games[i].substring(start.length()).split(" ")[0]);
                        break;
                    }
            if (line.equals("quit")) return;
        }
    }
}
