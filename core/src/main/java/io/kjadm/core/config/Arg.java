package io.kjadm.core.config;

/** One command-line argument of a component, {@code --name=value}; names may repeat. */
public record Arg(String name, String value) {}
