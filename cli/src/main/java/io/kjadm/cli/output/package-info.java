/**
 * Objects as text for programs: what {@code -o} selects. Read
 * {@link io.kjadm.cli.output.OutputFormat} first.
 *
 * <p>An object is a tree of maps with text keys, lists, text, numbers, booleans and nulls.
 */
package io.kjadm.cli.output;
