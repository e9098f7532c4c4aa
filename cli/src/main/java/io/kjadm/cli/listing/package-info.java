/**
 * Results as tables and as objects for {@code -o}. Read {@link io.kjadm.cli.listing.EtcdListing}
 * first.
 */
package io.kjadm.cli.listing;
