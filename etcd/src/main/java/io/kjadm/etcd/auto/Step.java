package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a machine does to itself: a command that an operator could run. The daemon runs the same
 * command line that it shows.
 */
public sealed interface Step {

    /** The words of the command after the program's name. */
    List<String> words();

    /** The command as it is shown; no word holds a blank. */
    default String command() {
        return "kjadm " + String.join(" ", words());
    }

    /**
     * The member of a machine.
     *
     * @param name    by which etcd lists it
     * @param address by which others reach the machine
     * @param flags   further flags of {@code etcd init} and {@code join} on this machine: where the CA
     *                and its key are, for example
     */
    record Own(String name, String address, EtcdVersion version, List<String> flags) {

        public Own {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(version, "version");
            flags = List.copyOf(flags);
        }

        /** Of {@code etcd init} alone: for data that are encrypted. */
        static final String IDENTITY = "--identity-file=";

        private List<String> words(boolean data) {
            List<String> words = new ArrayList<>(
                    List.of("--name=" + name, "--bind-address=" + address, "--version=" + version));
            flags.stream().filter(flag -> data || !flag.startsWith(IDENTITY)).forEach(words::add);
            words.add("--skip-phases=etcdctl,instructions");
            return words;
        }
    }

    /**
     * Founds the cluster.
     *
     * @param token {@code --initial-cluster-token}
     * @param data  flags that name the data it begins with; none if it begins empty
     */
    record Init(Own own, String token, List<String> data) implements Step {

        public Init {
            data = List.copyOf(data);
        }

        /** One that begins empty. */
        public Init(Own own, String token) {
            this(own, token, List.of());
        }

        @Override
        public List<String> words() {
            List<String> words = new ArrayList<>(List.of("etcd", "init"));
            words.addAll(own.words(!data.isEmpty()));
            words.add("--cluster-token=" + token);
            words.addAll(data);
            return List.copyOf(words);
        }
    }

    /**
     * Joins the cluster.
     *
     * @param endpoints client URLs of its voters
     */
    record Join(Own own, List<URI> endpoints) implements Step {

        public Join {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public List<String> words() {
            List<String> words = new ArrayList<>(List.of("etcd", "join"));
            endpoints.forEach(url -> words.add(url.toString()));
            words.addAll(own.words(false));
            return List.copyOf(words);
        }
    }

    /**
     * Sets up etcd for a member whose data are on this machine; no member is added.
     *
     * @param endpoints client URLs of the voters of its cluster, of which none may respond
     */
    record JoinWithData(Own own, List<URI> endpoints) implements Step {

        public JoinWithData {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public List<String> words() {
            List<String> words = new ArrayList<>(new Join(own, endpoints).words());
            words.add("--existing-data");
            return List.copyOf(words);
        }
    }

    /** Removes a member of another machine, by this machine's own etcd. */
    record Remove(MemberId member) implements Step {

        public Remove {
            Objects.requireNonNull(member, "member");
        }

        @Override
        public List<String> words() {
            return List.of("etcd", "member", "remove", member.toString());
        }
    }

    /**
     * Clears this machine, whose member was removed. Its data are renamed, not deleted.
     *
     * @param endpoints client URLs of the voters, who tell that the member is not listed
     */
    record Reset(List<URI> endpoints) implements Step {

        public Reset {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public List<String> words() {
            return List.of(
                    "etcd",
                    "reset",
                    "--yes",
                    "--endpoints="
                            + endpoints.stream()
                                    .map(URI::toString)
                                    .collect(Collectors.joining(",")));
        }
    }

    /**
     * Upgrades this machine's etcd.
     *
     * @param source flags that say where the release comes from
     */
    record Upgrade(EtcdVersion version, List<String> source) implements Step {

        /** The flags that it takes of those of {@code etcd auto}. */
        static final List<String> SOURCES =
                List.of("--allow-insecure-release-server=", "--etcd-tarball=", "--release-url=");

        public Upgrade {
            source = List.copyOf(source);
        }

        @Override
        public List<String> words() {
            List<String> words = new ArrayList<>(List.of("etcd", "upgrade", version.toString()));
            words.addAll(source);
            return List.copyOf(words);
        }
    }

    /**
     * Saves a snapshot of the cluster.
     *
     * @param store     as this machine names it
     * @param recipient for whom it is encrypted, as age writes it
     */
    record Save(String store, String recipient) implements Step {

        public Save {
            Objects.requireNonNull(store, "store");
            Objects.requireNonNull(recipient, "recipient");
        }

        @Override
        public List<String> words() {
            return List.of("etcd", "snapshot", "save", store, "--encrypt-to=" + recipient);
        }
    }

    /** Renews the certificates of this machine's etcd, which is restarted. */
    record Renew() implements Step {

        @Override
        public List<String> words() {
            return List.of("etcd", "certs", "renew");
        }
    }

    /**
     * Writes what clients need to reach the cluster.
     *
     * @param endpoints client URLs of its voters; empty on the machine that founded it
     */
    record Clients(List<URI> endpoints) implements Step {

        public Clients {
            endpoints = List.copyOf(endpoints);
        }

        @Override
        public List<String> words() {
            List<String> words = new ArrayList<>(
                    List.of("etcd", endpoints.isEmpty() ? "init" : "join", "phase", "etcdctl"));
            endpoints.forEach(url -> words.add(url.toString()));
            return List.copyOf(words);
        }
    }

    /** Starts etcd, which is set up and was not stopped by a person. */
    record Start() implements Step {

        @Override
        public List<String> words() {
            return List.of("start", "etcd");
        }

        @Override
        public String command() {
            return "systemctl start etcd";
        }
    }

    /**
     * Stops the member of a generation that ends, or has ended, for good: its data, settings and
     * certificates are renamed, so that the machine is blank and nothing is lost.
     *
     * @param member as the log knows it; empty if it is none of the log's
     */
    record Fence(int generation, Optional<MemberId> member) implements Step {

        public Fence {
            Objects.requireNonNull(member, "member");
        }

        @Override
        public List<String> words() {
            return List.of("disable", "--now", "etcd");
        }

        @Override
        public String command() {
            return "systemctl disable --now etcd";
        }
    }

    /** The way back: the member of a generation that does not end after all runs again. */
    record Unfence(int generation) implements Step {

        @Override
        public List<String> words() {
            return List.of("enable", "--now", "etcd");
        }

        @Override
        public String command() {
            return "systemctl enable --now etcd";
        }
    }
}
