package io.kjadm.core.etcd;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What a cluster's configuration says of etcd.
 *
 * @param external        whether the members run elsewhere
 * @param dataDir         where a member keeps its data; empty if they run elsewhere
 * @param certificatesDir of a node, with etcd's in {@code etcd}
 */
public record ConfiguredEtcd(boolean external, Optional<Path> dataDir, Path certificatesDir) {}
