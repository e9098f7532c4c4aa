package io.kjadm.e2e.lab;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Container;

import org.testcontainers.DockerClientFactory;

import java.util.Map;

/**
 * Removes what dead runs left behind. Everything a run makes carries its process id as a label; the
 * labs made by hand have no such label and stay.
 */
final class Leftovers {
    static final String OWNER = "io.kjadm.e2e.owner";
    private static boolean swept;

    private Leftovers() {}

    static synchronized void sweepOnce() {
        if (swept) {
            return;
        }
        swept = true;
        var docker = DockerClientFactory.instance().client();
        docker
                .listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(java.util.List.of(OWNER))
                .exec()
                .stream()
                .filter(container -> dead(container.getLabels()))
                .forEach(container -> remove(docker, container));
        docker.listNetworksCmd().exec().stream()
                .filter(network -> network.getLabels() != null && dead(network.getLabels()))
                .forEach(network -> docker.removeNetworkCmd(network.getId()).exec());
    }

    private static void remove(DockerClient docker, Container container) {
        try {
            docker.removeContainerCmd(container.getId())
                    .withForce(true)
                    .withRemoveVolumes(true)
                    .exec();
        } catch (DockerException e) {
            System.out.println("[lab] a leftover could not be removed: " + e.getMessage());
        }
    }

    private static boolean dead(Map<String, String> labels) {
        var owner = labels.get(OWNER);
        return owner != null && ProcessHandle.of(Long.parseLong(owner)).isEmpty();
    }
}
