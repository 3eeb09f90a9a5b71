-- The same as list.py.
local games, start = {}, ""
for line in io.lines(arg[1]) do games[#games + 1] = line end
io.stdout:setvbuf("line")
for line in io.lines() do
  local word, rest = line:match("^(%S+)%s*(.-)%s*$")
  if word == "uci" then print("uciok") end
  if word == "isready" then print("readyok") end
  if word == "position" then start = rest:gsub(" moves", "") .. " " end
  if word == "quit" then break end
  if word == "go" then
    local _, spaces = start:gsub(" ", "")
    for i = 2 - spaces % 2, #games, 2 do
      if games[i]:sub(1, #start) == start then print("bestmove " .. games[i]:sub(#start + 1):match("%S+")) break end
    end
  end
end
