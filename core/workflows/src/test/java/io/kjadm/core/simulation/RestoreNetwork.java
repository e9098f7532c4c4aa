package io.kjadm.core.simulation;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.simulation.RestoreMachine.Serving;
import io.kjadm.etcd.Member;
import io.kjadm.manifests.EtcdPod;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The connections between the machines, and what a run sees of others over them. */
final class RestoreNetwork {

    private final RestoreSimulation play;
    private final Set<Cut> closedClients = new HashSet<>();
    private final Set<Cut> closedPeers = new HashSet<>();

    private record Cut(int from, int to) {}

    RestoreNetwork(RestoreSimulation play) {
        this.play = play;
    }

    void closeClients(int from, int to) {
        closedClients.add(new Cut(from, to));
    }

    void closePeers(int from, int to) {
        closedPeers.add(new Cut(from, to));
    }

    /** Nobody reaches that machine, and it reaches nobody. */
    void isolate(RestoreMachine one) {
        play.machines.forEach(other -> isolate(one, other));
    }

    void openAll() {
        closedClients.clear();
        closedPeers.clear();
    }

    /** One direction is enough: messages go over connections of both ends. */
    boolean linked(RestoreMachine one, RestoreMachine other) {
        return !closedPeers.contains(new Cut(one.number, other.number))
                || !closedPeers.contains(new Cut(other.number, one.number));
    }

    private Optional<RestoreMachine> at(RestoreRun run, URI url) {
        return url.getHost().equals("127.0.0.1")
                ? Optional.of(run.host)
                : play.machines.stream()
                        .filter(machine -> RestoreMachine.clientUrl(machine.number)
                                .getHost()
                                .equals(url.getHost()))
                        .findFirst();
    }

    private boolean blind(RestoreRun run) {
        return switch (play.missing) {
            case A_RESUMED_RUN_LOOKS_AGAIN -> run.resumes;
            case A_LOOK_DIRECTLY_BEFORE_THE_START -> run.stopped();
            default -> false;
        };
    }

    /** The etcd behind a client URL. */
    Optional<Serving> reached(RestoreRun run, URI url) {
        Optional<RestoreMachine> other = at(run, url);
        if (other.filter(run.host::equals).isPresent()) {
            // one that does not respond any more knew last what it knew then
            run.host.etcd.ifPresent(run::saw);
            return run.host.etcd;
        }
        Optional<Serving> etcd = other.filter(machine ->
                        !closedClients.contains(new Cut(run.host.number, machine.number)))
                .flatMap(machine -> machine.etcd);
        other.ifPresent(machine -> run.seen.put(machine.number, etcd.isPresent()));
        return blind(run) ? Optional.empty() : etcd;
    }

    boolean listens(RestoreRun run, URI peerUrl) {
        Optional<RestoreMachine> other = at(run, peerUrl)
                .filter(machine -> machine.etcd.isPresent())
                .filter(machine -> !closedPeers.contains(new Cut(run.host.number, machine.number)));
        other.ifPresent(machine -> run.seen.put(machine.number, true));
        return other.isPresent()
                && !blind(run)
                && play.missing != RestoreRules.A_PEER_PORT_THAT_LISTENS_IS_ALIVE;
    }

    /** Of the cluster that serves, where a load balancer leads to it. */
    <T> List<T> etcdPods(RestoreRun run, Class<T> type) {
        List<Member> members = play.machines.stream()
                .filter(machine -> machine.etcd.filter(etcd -> etcd.led).isPresent())
                .filter(machine -> machine.kubelet.runsPod("kube-apiserver"))
                .limit(play.schedule.balanced() ? 1 : 0)
                .flatMap(machine -> machine.etcd.orElseThrow().members.stream())
                .toList();
        run.listed(members);
        List<T> pods = members.stream()
                .filter(_ -> play.missing != RestoreRules.THE_API_SERVER_LISTS_MEMBERS)
                .map(member -> type.cast(new PodBuilder()
                        .withNewMetadata()
                        .withName("etcd-" + member.name())
                        .addToAnnotations(
                                EtcdPod.CLIENT_URLS_ANNOTATION,
                                member.clientUrls().getFirst().toString())
                        .endMetadata()
                        .build()))
                .toList();
        if (pods.isEmpty()) {
            throw new KubeApiException(
                    KubeApiException.Kind.UNREACHABLE, "connection timed out", null);
        }
        return pods;
    }

    private void isolate(RestoreMachine one, RestoreMachine other) {
        List.of(new Cut(one.number, other.number), new Cut(other.number, one.number))
                .forEach(cut -> {
                    closedClients.add(cut);
                    closedPeers.add(cut);
                });
    }
}
