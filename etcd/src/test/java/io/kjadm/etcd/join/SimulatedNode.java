package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/** A machine's side of a join: what the kubelet would do, and what lies on the disk. */
record SimulatedNode(Machine machine, Steps steps, EtcdModel model, VirtualWorld world,
        Random random) implements LocalMember {

    @Override
    public LocalTrace trace() {
        return machine.data.map(id ->
                new LocalTrace(true, Optional.of(id), Optional.of(EtcdModel.CLUSTER)))
                .orElse(LocalTrace.NONE);
    }

    @Override
    public LifeSigns lifeSigns() {
        return new LifeSigns(machine.up, machine.lastIndex, 0, Optional.empty());
    }

    @Override
    public Optional<Ailment> hindrance() {
        // a kubelet may die right after it was asked
        return Optional.empty();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        steps.mayDie();
        world.pass(1 + random.nextInt(300));
        return voters.stream().flatMap(voter -> model.servers.stream()
                        .filter(server -> server.id.equals(voter.id())
                                && !model.reaches(machine, server)))
                .collect(Collectors.toMap(server -> server.id,
                        server -> "connection refused"));
    }

    @Override
    public boolean listens(Member member) {
        steps.mayDie();
        world.pass(1 + random.nextInt(300));
        return model.servers.stream().anyMatch(server -> server.id.equals(member.id())
                && model.reaches(machine, server));
    }

    @Override
    public String unready() {
        return machine.up ? "" : "connection refused";
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        steps.mayDie();
        boolean voterWithoutData = own.voter() && own.started() && machine.data.isEmpty();
        if (voterWithoutData) {
            throw new Violation("a voter that lost its data is started: " + own.describe());
        }
        machine.manifest =
                Optional.of(members.stream().flatMap(member -> member.peerUrls().stream())
                        .collect(Collectors.toSet()));
        machine.nextStart = world.now() + 1_000 + random.nextInt(5_000);
        steps.mayDie();
    }

    @Override
    public String takeAway() {
        steps.mayDie();
        model.servers.stream()
                .filter(server -> machine.data.filter(server.id::equals).isPresent()
                        && !server.learner).findFirst().ifPresent(voter -> {
                            throw new Violation("the data of a listed voter is taken away: "
                                    + voter.member().describe());
                        });
        machine.manifest = Optional.empty();
        steps.mayDie();
        world.pass(500 + random.nextInt(2_000));
        machine.down(world.now());
        machine.data = Optional.empty();
        machine.lastIndex = 0;
        steps.mayDie();
        return "";
    }

    @Override
    public void help() {
        // the model has no start race
    }
}
