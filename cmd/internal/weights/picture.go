package weights

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

type pictureFlags struct {
	from, out string
}

func newPicture() *cobra.Command {
	var f pictureFlags
	c := &cobra.Command{
		Use:   "picture WEIGHTS",
		Short: "Draw piece-square tables as boards",
		Long: `Draw the piece-square tables of weights as boards, middlegame and endgame, in a PNG file. With
--from also the old values and the differences. A table has terms whose names end with a square,
as psq.pawn.a2, or with each number from 0 to 63, as pst.0 to pst.63.

Blue is below zero, orange above. Where all values of a table lie far from zero, because they hold
the worth of the piece, the colors show their distance from their mean.`,
		Example: `  assay weights picture assay
  assay weights picture new.json --from assay-start --out boards.png`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if filepath.Ext(f.out) != ".png" {
				return ui.Usagef("--out %s: want a name that ends with .png", f.out)
			}
			old, now, err := openTwoWeights(cmp.Or(f.from, args[0]), args[0])
			if err != nil {
				return err
			}
			tables := f.tables(old.File, now.File)
			if len(tables) == 0 {
				return fmt.Errorf("%s has no piece-square tables: want terms whose names end with a square, as psq.pawn.a2, "+
					"or with each number from 0 to 63", args[0])
			}
			picture, err := drawTables(tables)
			if err == nil {
				err = durable.WriteFile(f.out, picture)
			}
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "written %s\n", f.out)
			}
			return err
		},
	}
	c.Flags().StringVar(&f.from, "from", "", "older weights of the same terms, to draw what changed")
	c.Flags().StringVar(&f.out, "out", "boards.png", "file to write")
	return c
}

// drawnTable is the boards of a piece-square table, side by side.
type drawnTable struct {
	name   string
	boards []models.Board
}

// tables returns the piece-square tables that are to be drawn.
func (f *pictureFlags) tables(old, now *models.File) (list []drawnTable) {
	names, before := make([]string, len(now.Terms)), map[string]*models.TermWeight{}
	for i := range now.Terms {
		names[i] = now.Terms[i].Name
		before[old.Terms[i].Name] = &old.Terms[i]
	}
	for _, t := range models.SquareTables(names) {
		drawn := drawnTable{name: t.Name}
		for k, b := range t.Boards([2]string{"old", "new"}, func(term, half int) (was, is float64) {
			w, b := &now.Terms[term], before[names[term]]
			return float64([]int32{b.MG, b.EG}[half]), float64([]int32{w.MG, w.EG}[half])
		}) {
			if f.from == "" { // the values alone
				b.Title = strings.TrimSuffix(b.Title, ", new")
			}
			if f.from != "" || k%3 == 1 {
				drawn.boards = append(drawn.boards, b)
			}
		}
		list = append(list, drawn)
	}
	return list
}

// Sizes in points, at two pixels each.
const (
	squareSide  = vg.Length(17)
	boardWidth  = 8*squareSide + 26
	boardHeight = 8*squareSide + 62 // with title, files and scale
	tableHead   = vg.Length(18)
	mostBoards  = 6 // in a line
)

// drawTables draws the tables, as many in a line as it has room for.
func drawTables(tables []drawnTable) ([]byte, error) {
	n := 0
	for _, t := range tables {
		n = max(n, len(t.boards))
	}
	across := min(len(tables), mostBoards/n)
	down := (len(tables) + across - 1) / across
	image := vgimg.NewWith(vgimg.UseWH(boardWidth*vg.Length(across*n)+10, (boardHeight+tableHead)*vg.Length(down)+10),
		vgimg.UseDPI(144), vgimg.UseBackgroundColor(color.White))
	c := pen{draw.New(image)}
	for i, t := range tables {
		x := boardWidth * vg.Length(i%across*n)
		y := c.Max.Y - (boardHeight+tableHead)*vg.Length(i/across) - tableHead
		c.text(t.name, x+20, y+2, 11, draw.XLeft)
		for k := range t.boards {
			c.board(&t.boards[k], x+boardWidth*vg.Length(k)+20, y)
		}
	}
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: image}.WriteTo(&b)
	return b.Bytes(), err
}

type pen struct{ draw.Canvas }

// board draws a board below and to the right of a point.
func (c pen) board(b *models.Board, x, y vg.Length) {
	c.text(b.Title, x, y-12, 9, draw.XLeft)
	y -= 18
	for s, v := range b.Values {
		left, top := x+squareSide*vg.Length(s%8), y-squareSide*vg.Length(7-s/8)
		if !math.IsNaN(v) {
			c.fill(left, top, squareSide, squareSide, shade((v-b.Middle)/b.Most))
			c.text(fmt.Sprint(v), left+squareSide/2, top-squareSide/2-2.5, 7, draw.XCenter)
		}
		outline := corners(left, top, squareSide, squareSide)
		c.StrokeLines(draw.LineStyle{Color: color.Gray{Y: 190}, Width: 0.5}, append(outline, outline[0]))
	}
	for i := range 8 {
		at := squareSide * (vg.Length(i) + 0.5)
		c.text(fmt.Sprint(8-i), x-7, y-at-3, 7, draw.XCenter)
		c.text(string(rune('a'+i)), x+at, y-8*squareSide-9, 7, draw.XCenter)
	}
	const steps, step = 60, vg.Length(1)
	left, top := x+4*squareSide-steps*step/2, y-8*squareSide-15
	for i := range steps {
		c.fill(left+vg.Length(i)*step, top, step+0.5, 8, shade(2*float64(i)/(steps-1)-1))
	}
	c.text(fmt.Sprintf("%.0f", b.Middle-b.Most), left-4, top-7, 7, draw.XRight)
	c.text(fmt.Sprintf("%.0f", b.Middle+b.Most), left+steps*step+4, top-7, 7, draw.XLeft)
}

// fill fills a rectangle below and to the right of a point.
func (c pen) fill(x, y, width, height vg.Length, paint color.Color) {
	c.FillPolygon(paint, corners(x, y, width, height))
}

func corners(x, y, width, height vg.Length) []vg.Point {
	return []vg.Point{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y - height}, {X: x, Y: y - height}}
}

func (c pen) text(s string, x, y, size vg.Length, align text.XAlignment) {
	c.FillText(draw.TextStyle{Color: color.Black, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: align, Handler: plot.DefaultTextHandler}, vg.Point{X: x, Y: y}, s)
}

// shade is the color of a value from -1 to 1, as on the pages of runs: blue, white, orange.
func shade(v float64) color.Color {
	strength := uint8(0.7 * 255 * min(1, math.Abs(v)))
	if v < 0 {
		return color.NRGBA{40, 100, 210, strength}
	}
	return color.NRGBA{210, 90, 20, strength}
}

// WithError formats a weight with its standard error, if it has one.
func WithError(w int32, se float64) string {
	if se == 0 {
		return fmt.Sprint(w)
	}
	return fmt.Sprintf("%d +- %.1f", w, se)
}

// SquareBoards shows the terms of piece-square tables as boards; two fit a terminal of 80 columns. It
// returns the indices of these terms, without numbered tables.
func SquareBoards(terms []models.TermWeight) (text string, shown map[int]bool) {
	const files = "   a   b   c   d   e   f   g   h"
	names := make([]string, len(terms))
	for i := range terms {
		names[i] = terms[i].Name
	}
	var b strings.Builder
	shown = map[int]bool{}
	for _, table := range models.SquareTables(names) {
		if table.Numbered {
			continue
		}
		fmt.Fprintf(&b, "\n%-40s%s\n", table.Name+", mg", "eg")
		for rank := 7; rank >= 0; rank-- {
			mg, eg := "", ""
			for _, i := range table.Terms[8*rank : 8*rank+8] {
				if shown[i] = i >= 0; i >= 0 {
					mg, eg = mg+fmt.Sprintf("%4d", terms[i].MG), eg+fmt.Sprintf("%4d", terms[i].EG)
				} else {
					mg, eg = mg+"    ", eg+"    "
				}
			}
			if strings.TrimSpace(mg) != "" { // pawns have no first rank
				fmt.Fprintf(&b, "%d%s %s\n", rank+1, mg, strings.TrimRight(eg, " "))
			}
		}
		fmt.Fprintf(&b, " %s %s\n", files, files)
	}
	return b.String(), shown
}
