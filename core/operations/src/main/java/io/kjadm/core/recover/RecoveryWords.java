package io.kjadm.core.recover;

import io.kjadm.etcd.recover.MemberFacts;

import java.net.URI;
import java.util.List;

/** What is to be done on machines, in the commands of how their etcd is run. */
public interface RecoveryWords {

    /** Static pods beneath control planes. */
    RecoveryWords STACKED = new RecoveryWords() {
        private static final String JOIN =
                "here: kjadm init phase upload-certs --upload-certs, then kjadm token create --print-join-command --certificate-key KEY with the key it has printed; run what it prints on the node that joins";

        @Override
        public String machine() {
            return "control-plane node";
        }

        @Override
        public String log(String who) {
            return "on %s, see why etcd does not serve: crictl ps -a --name etcd, then crictl logs ID of the newest; journalctl -u kubelet -e if there is none"
                    .formatted(who);
        }

        @Override
        public String certificates() {
            return "if it mentions certificates: kjadm certs check-expiration, kjadm certs renew all";
        }

        @Override
        public String largestKeys() {
            return "find what fills it: kubectl get --raw /metrics | grep apiserver_storage_objects";
        }

        @Override
        public List<String> replace(List<MemberFacts> missing) {
            String labels = RecoveryPlans.labels(missing);
            return List.of(
                    "one node after the other. If its machine is there: kjadm reset --force on it, which removes its member too",
                    "if the machine is gone: kjadm etcd member remove %s here"
                            .formatted(missing.getFirst().label()),
                    forget("for " + labels),
                    JOIN);
        }

        private static String forget(String whom) {
            return "here: kubectl delete node NAME, " + whom;
        }

        @Override
        public List<String> stop(String who) {
            return List.of(
                    "stop the control plane of %s, so that no boot starts it: systemctl disable --now kubelet; pkill -x etcd; pkill -x kube-apiserver"
                            .formatted(who));
        }

        @Override
        public List<String> stopUsers() {
            return List.of();
        }

        @Override
        public String joinAnew(List<URI> to) {
            return "on each other node, one after the other: kjadm reset --force; %s; then %s"
                    .formatted(forget("for it"), JOIN);
        }

        @Override
        public List<String> replaceCopy(List<MemberFacts> bad) {
            String labels = RecoveryPlans.labels(bad);
            return List.of(
                    "one node after the other, on %s: kjadm reset --force, which keeps the data aside"
                            .formatted(labels),
                    forget("for " + labels),
                    JOIN);
        }

        @Override
        public String diskErrors() {
            return "dmesg, crictl logs";
        }

        @Override
        public String leaveOther() {
            return "kjadm reset --force, which keeps their data aside, then join them again: "
                    + JOIN;
        }
    };

    /** Services of systemd on machines without Kubernetes. */
    RecoveryWords STANDALONE = new RecoveryWords() {
        private static final String JOIN =
                "kjadm etcd join %s there, with the --version that the others have";

        private static String url(List<URI> urls) {
            return urls.stream().findFirst().map(URI::toString).orElse("URL");
        }

        @Override
        public String machine() {
            return "machine of this etcd";
        }

        @Override
        public String log(String who) {
            return "on %s, see why etcd does not serve: systemctl status etcd; journalctl -u etcd -e"
                    .formatted(who);
        }

        @Override
        public String certificates() {
            return "if it mentions certificates: kjadm etcd certs check, kjadm etcd certs renew";
        }

        @Override
        public String largestKeys() {
            return "find what fills it, for Kubernetes on one of its control-plane nodes: kubectl get --raw /metrics | grep apiserver_storage_objects";
        }

        @Override
        public List<String> replace(List<MemberFacts> missing) {
            return List.of(
                    "one machine after the other. If it and its data are there: kjadm etcd reset on it, which removes its member too",
                    "if the machine or its data are gone: kjadm etcd member remove %s here; then, if the machine is there, kjadm etcd reset on it"
                            .formatted(missing.getFirst().label()),
                    "on it, or on the one that takes its place: "
                            + JOIN.formatted("URL of a member"));
        }

        @Override
        public List<String> stop(String who) {
            return List.of("stop etcd on %s: systemctl disable --now etcd".formatted(who));
        }

        @Override
        public List<String> stopUsers() {
            return List.of("stop the API servers that use this etcd");
        }

        @Override
        public String joinAnew(List<URI> to) {
            return "on each other machine, one after the other: kjadm etcd reset --endpoints %s; then %s"
                    .formatted(url(to), JOIN.formatted(url(to)));
        }

        @Override
        public List<String> replaceCopy(List<MemberFacts> bad) {
            return List.of(
                    "one machine after the other, on %s: kjadm etcd reset, which keeps the data aside"
                            .formatted(RecoveryPlans.labels(bad)),
                    JOIN.formatted("URL of a good member"));
        }

        @Override
        public String diskErrors() {
            return "dmesg, journalctl -u etcd";
        }

        @Override
        public String leaveOther() {
            return "kjadm etcd reset --endpoints URL, with the client URL of a member of that cluster, which keeps their data aside; then "
                    + JOIN.formatted("URL");
        }
    };

    /** What a machine with a member is called. */
    String machine();

    /** Where to see why a member does not serve. */
    String log(String who);

    /** What to do about certificates. */
    String certificates();

    /** Where to see what fills the database. */
    String largestKeys();

    /** How members that are missing while the others serve are replaced. */
    List<String> replace(List<MemberFacts> missing);

    /** How members are stopped that a new cluster leaves behind. */
    List<String> stop(String who);

    /** How those are stopped that use this etcd, where that is to be done by hand. */
    List<String> stopUsers();

    /**
     * How the others become members of a new cluster.
     *
     * @param to client URLs of its first member, if they are known
     */
    String joinAnew(List<URI> to);

    /** How members with bad data get those of the others. */
    List<String> replaceCopy(List<MemberFacts> bad);

    /** Where errors of disks are seen. */
    String diskErrors();

    /** How the members of another cluster than the one that serves come back to that. */
    String leaveOther();
}
