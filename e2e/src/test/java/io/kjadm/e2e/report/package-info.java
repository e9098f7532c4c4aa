/**
 * What a run of the whole-program tests came to, as one table at its end. Read
 * {@link io.kjadm.e2e.report.SuiteReport} first.
 */
package io.kjadm.e2e.report;
