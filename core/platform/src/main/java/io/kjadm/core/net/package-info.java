/**
 * How this program reaches servers that are not its own: whom it trusts, through which proxy, for
 * how long. Read {@link io.kjadm.core.net.ServerTrust} first.
 */
package io.kjadm.core.net;
