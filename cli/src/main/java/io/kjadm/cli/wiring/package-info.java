/**
 * The objects of a run and the choice of ports. Read {@link io.kjadm.cli.wiring.Composition}
 * first.
 */
package io.kjadm.cli.wiring;
