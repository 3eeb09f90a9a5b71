// Package chrome drives Chromium in the tests of pages, which the build tag browser enables. REPORT_SHOTS
// names a folder for their screenshots. Start reading at New.
package chrome
