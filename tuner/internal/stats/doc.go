// Package stats says how sure a fit is of its parameters, and what follows from that:
// standard errors clustered by game ([Covariance]); tables as differences from their means; the gain
// of tuning each group; coefficients that the data cannot distinguish; calibration.
//
// Start reading at NewCovariance and Covariance.Finish.
//
// No promise of stability.
package stats
