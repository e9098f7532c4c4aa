package io.kjadm.core.simulation;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The API server as far as members are changed: the Lease, and etcd's pods. It serves as long as
 * etcd does, if at all.
 */
final class LeaseApi {

    private final EtcdModel model;
    private final Optional<Kind> refusal;
    private Optional<Lease> lease = Optional.empty();
    private long versions;

    /** @param refusal what everybody is answered, if there is nothing to be had */
    LeaseApi(EtcdModel model, Optional<Kind> refusal) {
        this.model = model;
        this.refusal = refusal;
    }

    /** Whether it answers. */
    boolean serves() {
        return refusal.isEmpty() && model.serving();
    }

    /** As one program sees it through a balancer. */
    KubeApi of(Host host, Program program) {
        return new Connection(host, program, false);
    }

    /** As one program sees it. */
    KubeApi of(Host host, Program program, KubeAccess access) {
        return new Connection(
                host, program, access.server().getHost().equals(host.peerUrl.getHost()));
    }

    private Lease store(Lease next) {
        Lease stored = new LeaseBuilder(next)
                .editMetadata()
                .withResourceVersion(String.valueOf(++versions))
                .endMetadata()
                .build();
        lease = Optional.of(stored);
        return stored;
    }

    private final class Connection implements KubeApi {

        private final Host host;
        private final Program program;

        /** Whether it is this machine's own server that is asked, and no other. */
        private final boolean local;

        Connection(Host host, Program program, boolean local) {
            this.host = host;
            this.program = program;
            this.local = local;
        }

        private void call() {
            program.point();
            refusal.ifPresent(kind -> {
                throw new KubeApiException(kind, "simulated " + kind, null);
            });
            if (local && !host.running.containsKey(ApiServerPod.NAME)) {
                throw new KubeApiException(Kind.UNREACHABLE, "connection refused", null);
            }
            if (!host.reachable) {
                throw new KubeApiException(Kind.UNREACHABLE, "connection timed out", null);
            }
            if (!model.serving()) {
                throw new KubeApiException(Kind.UNAVAILABLE, "etcd does not answer", null);
            }
        }

        @Override
        public <T extends HasMetadata> Optional<T> get(
                Class<T> type, String namespace, String name) {
            call();
            return lease.filter(it ->
                            type.isInstance(it) && it.getMetadata().getName().equals(name))
                    .map(type::cast);
        }

        @Override
        public <T extends HasMetadata> T create(T object) {
            call();
            if (lease.isPresent()) {
                throw new KubeApiException(Kind.ALREADY_EXISTS, "there is one", null);
            }
            return stored(object);
        }

        @Override
        public <T extends HasMetadata> T replace(T object) {
            call();
            boolean same = lease.map(known -> known.getMetadata().getResourceVersion())
                    .filter(object.getMetadata().getResourceVersion()::equals)
                    .isPresent();
            if (!same) {
                throw new KubeApiException(Kind.CONFLICT, "it was changed in between", null);
            }
            return stored(object);
        }

        @SuppressWarnings("unchecked")
        private <T extends HasMetadata> T stored(T object) {
            T stored = (T) store((Lease) object);
            program.point();
            return stored;
        }

        @Override
        public <T extends HasMetadata> List<T> list(
                Class<T> type, String namespace, Map<String, String> labels) {
            call();
            return model.servers.stream()
                    .filter(server -> !server.name.isEmpty())
                    .map(LeaseApi::pod)
                    .map(type::cast)
                    .toList();
        }

        @Override
        public <T extends HasMetadata> T patch(
                Class<T> type, String namespace, String name, UnaryOperator<T> change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String raw(String path) {
            call();
            return "{\"gitVersion\": \"%s\"}"
                    .formatted(host.tag(ApiServerPod.NAME).orElse(Host.KUBERNETES));
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private static Pod pod(ModelServer server) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("etcd-" + server.name)
                .addToAnnotations(
                        EtcdPod.CLIENT_URLS_ANNOTATION,
                        server.machine.orElseThrow().clientUrl.toString())
                .endMetadata()
                .build();
    }
}
