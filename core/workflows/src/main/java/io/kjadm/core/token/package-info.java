/**
 * Bootstrap tokens: making, listing and removing them. Read
 * {@link io.kjadm.core.token.BootstrapTokenStore} first.
 */
package io.kjadm.core.token;
