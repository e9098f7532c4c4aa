/** The registry of flags: {@link io.kjadm.core.flag.Flag} states each once, all else refers to it. */
package io.kjadm.core.flag;
