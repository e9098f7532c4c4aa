package io.kjadm.etcd.model;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;

import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The simulation's model on its own, where nothing goes wrong by itself: for comparing its answers
 * with etcd's.
 */
public final class ModelCluster extends ModelClient {

    private final VirtualWorld world = new VirtualWorld();
    private final List<Machine> machines = new ArrayList<>();
    private final Machine client;
    private final EtcdModel model;

    /** A cluster of one voter; machine 0 runs it, the others may join. */
    public ModelCluster(String version, int spare) {
        for (int i = 0; i <= spare; i++) {
            machines.add(new Machine(i, "cp-" + i, "cp-" + i, 100_000));
        }
        client = new Machine(-1, "client", "client", 0);
        model = new EtcdModel(world, EtcdVersion.parse(version), 1, new Random(1), machines);
        model.found(machines.subList(0, 1), 10);
        world.in(1_000, this::second);
    }

    private void second() {
        model.second();
        world.in(1_000, this::second);
    }

    public void pass(Duration time) {
        world.pass(time.toMillis());
    }

    public URI peerUrl(int machine) {
        return machines.get(machine).peerUrl;
    }

    /** The machine's etcd is started with the present member list, or again with its data. */
    public void start(int machine) {
        Set<URI> urls =
                model.servers.stream().map(server -> server.peerUrl).collect(Collectors.toSet());
        machines.get(machine).manifest = Optional.of(urls);
        machines.get(machine).stopped = false;
    }

    public void stop(int machine) {
        machines.get(machine).stopped = true;
        machines.get(machine).down(world.now());
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) {
        throw noDatabase();
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        throw new UnsupportedOperationException("no scene asks one member for its own list");
    }

    @Override
    public List<Member> members() {
        return model.list(client);
    }

    @Override
    public MemberStatus status(Member member) {
        return model.status(client, member.id());
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        return model.status(
                client,
                members().stream()
                        .filter(member -> member.clientUrls().contains(clientUrl))
                        .findFirst()
                        .orElseThrow()
                        .id());
    }

    @Override
    public Member addLearner(List<URI> peerUrls) {
        return add(peerUrls.getFirst(), true);
    }

    @Override
    public Member addVoter(List<URI> peerUrls) {
        return add(peerUrls.getFirst(), false);
    }

    private Member add(URI peerUrl, boolean learner) {
        model.changes.propose(model.changes.add(client, peerUrl, learner));
        return model.servers.getLast().member();
    }

    @Override
    public void promote(MemberId learner) {
        model.changes.propose(model.changes.promote(client, learner));
    }

    @Override
    public void remove(MemberId member) {
        model.changes.propose(model.changes.remove(client, member));
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        model.changes.moveLeader(client, from, to);
    }
}
