package io.kjadm.e2e.claims;

import org.junit.jupiter.api.function.Executable;

/**
 * One sentence about a cluster.
 *
 * @param name the words of kubeadm's test, without its labels
 * @param check fails if it is not so; is aborted if the cluster was not made for it
 */
public record Claim(String name, Executable check) {}
