/**
 * Draws what a program showed on a terminal: a recording of {@code script} becomes an animated SVG.
 * {@code e2e/bench/picture} records and calls it. Nothing but the JDK is needed, so that these
 * sources run without a build. Read {@link io.kjadm.e2e.picture.Picture} first.
 */
package io.kjadm.e2e.picture;
