/**
 * Draws where the time of runs went, several programs below one another: start with
 * {@link io.kjadm.e2e.timeline.TimelinePicture}.
 */
package io.kjadm.e2e.timeline;
