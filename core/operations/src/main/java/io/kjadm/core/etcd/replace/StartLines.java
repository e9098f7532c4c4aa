package io.kjadm.core.etcd.replace;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.NewMember;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** With what the etcd of a new member has to be started on its machine. */
final class StartLines {

    private StartLines() {}

    /** For a member that is listed. */
    static String of(NewMember wanted, List<Member> listed) {
        return """
                Start etcd on the machine of %s with an empty data directory and
                    --name=%s
                    --listen-peer-urls=%s
                    --initial-advertise-peer-urls=%s
                    --initial-cluster=%s
                    --initial-cluster-state=existing""".formatted(
                        wanted.name(),
                        wanted.name(),
                        wanted.peerUrlText(),
                        wanted.peerUrlText(),
                        initialCluster(wanted, listed));
    }

    /** What has to be ready there before anything is changed. */
    static String prerequisites(NewMember wanted, EtcdHealth health) {
        String versions =
                health.versions().stream().map(Object::toString).collect(Collectors.joining(", "));
        return """
                Prepare the machine of %s before anything is changed:
                  - etcd %s, or its image, and an empty data directory on a fast disk
                  - the CA of etcd, and the member's certificates for the %s in %s
                  - port %s open from and to every other member, and a clock that agrees with theirs""".formatted(
                        wanted.name(),
                        versions,
                        wanted.peerUrls().size() > 1 ? "addresses" : "address",
                        wanted.peerUrlText(),
                        ports(wanted));
    }

    private static String ports(NewMember wanted) {
        return wanted.peerUrls().stream()
                .map(url -> Integer.toString(url.getPort()))
                .distinct()
                .collect(Collectors.joining(" and "));
    }

    private static String initialCluster(NewMember wanted, List<Member> listed) {
        Stream<String> others = listed.stream()
                .filter(member -> !wanted.hasUrlOf(member))
                .flatMap(member ->
                        member.peerUrls().stream().map(url -> member.label() + "=" + url));
        return Stream.concat(
                        others, wanted.peerUrls().stream().map(url -> wanted.name() + "=" + url))
                .collect(Collectors.joining(","));
    }
}
