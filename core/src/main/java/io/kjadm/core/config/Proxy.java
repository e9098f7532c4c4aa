package io.kjadm.core.config;

/** The kube-proxy addon. */
public record Proxy(boolean disabled) {

    public static final Proxy DEFAULTS = new Proxy(false);
}
