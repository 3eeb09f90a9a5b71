// Package cluster plays games on many machines. It holds no code: its packages are
//
//   - wire: the messages, their subjects, keys, signatures of engines, connections
//   - coordinator: a selfplay.Runner that hands its jobs to workers over NATS
//   - worker: plays these jobs on another machine
//   - broker: the NATS server inside the coordinator's process
//
// and here are the tests of all four together. What comes out is, to the byte, what a
// selfplay.Local makes: a job is played the same everywhere, so a job played twice does no
// harm and a forged result shows.
//
// No promise of stability. Start reading at coordinator.Coordinator.Run and worker.Worker.Run.
// README.md says how to use it, ARCHITECTURE.md follows one unit from its number to its shard.
package cluster
