// Package cluster plays games on many machines. It holds no code: its packages are
//
//   - wire: the messages, their subjects, keys, files by content, connections
//   - coordinator: a selfplay.Runner whose jobs workers take from a JetStream work queue; and the server of --serve
//   - worker: plays these jobs on another machine
//
// and here are the tests of all three together. What comes out is, to the byte, what a selfplay.Local makes: a job is
// played the same everywhere, so a job played twice does no harm.
//
// No promise of stability. Start reading at coordinator.Coordinator.Run and worker.Worker.Run. README.md says how a
// game travels.
package cluster
