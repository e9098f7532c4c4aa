/** The errors shown to operators; read {@link io.kjadm.core.error.KjadmException} first. */
package io.kjadm.core.error;
