/**
 * Configuration: reading, defaulting, checking and writing it. Read
 * {@link io.kjadm.core.config.ClusterConfiguration} first, then {@code ConfigurationLoader}.
 */
package io.kjadm.core.config;
