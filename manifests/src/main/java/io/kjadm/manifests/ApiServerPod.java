package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Pod;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The static pod of the API server. */
public final class ApiServerPod {

    /** Name of the component, its program, its pod and (with {@code .yaml}) its manifest. */
    public static final String NAME = "kube-apiserver";

    /**
     * Annotation with this node's {@code ip:port}; every later command finds the node's endpoint
     * there.
     */
    public static final String ENDPOINT_ANNOTATION =
            "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint";

    private ApiServerPod() {}

    /**
     * What the pod is made of.
     *
     * @param serviceSubnet the service CIDR, or two with a comma, as configured
     */
    public record Input(
            PodHost host,
            PodOptions options,
            InetAddress advertiseAddress,
            int bindPort,
            ApiServerEtcd etcd,
            String dnsDomain,
            String serviceSubnet) {

        public Input {
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(options, "options");
            Objects.requireNonNull(advertiseAddress, "advertiseAddress");
            Objects.requireNonNull(etcd, "etcd");
            Objects.requireNonNull(dnsDomain, "dnsDomain");
            Objects.requireNonNull(serviceSubnet, "serviceSubnet");
        }

        String address() {
            return AddressText.of(advertiseAddress);
        }
    }

    /** The pod, before patches. */
    public static Pod build(Input input) {
        PodOptions options = input.options();
        return new StaticPod(
                        NAME,
                        Map.of(
                                ENDPOINT_ANNOTATION,
                                AddressText.withPort(input.advertiseAddress(), input.bindPort())),
                        options,
                        new StaticPod.Program(
                                arguments(input),
                                input.host().proxyVariables(),
                                Map.of("cpu", "250m"),
                                HostVolume.merge(volumes(input), options.extraVolumes())),
                        input.bindPort(),
                        probes(input),
                        StaticPod.withLowPorts())
                .toPod();
    }

    private static List<Argument> arguments(Input input) {
        PodHost host = input.host();
        var arguments = new ArrayList<>(List.of(
                new Argument("advertise-address", input.address()),
                new Argument("allow-privileged", "true"),
                new Argument("client-ca-file", host.certificate("ca.crt")),
                new Argument("enable-admission-plugins", "NodeRestriction"),
                new Argument("enable-bootstrap-token-auth", "true"),
                new Argument(
                        "kubelet-client-certificate",
                        host.certificate("apiserver-kubelet-client.crt")),
                new Argument(
                        "kubelet-client-key", host.certificate("apiserver-kubelet-client.key")),
                new Argument("kubelet-preferred-address-types", "InternalIP,ExternalIP,Hostname"),
                new Argument("proxy-client-cert-file", host.certificate("front-proxy-client.crt")),
                new Argument("proxy-client-key-file", host.certificate("front-proxy-client.key")),
                new Argument("requestheader-allowed-names", "front-proxy-client"),
                new Argument(
                        "requestheader-client-ca-file", host.certificate("front-proxy-ca.crt")),
                new Argument("requestheader-extra-headers-prefix", "X-Remote-Extra-"),
                new Argument("requestheader-group-headers", "X-Remote-Group"),
                new Argument("requestheader-username-headers", "X-Remote-User"),
                new Argument("secure-port", Integer.toString(input.bindPort())),
                new Argument(
                        "service-account-issuer",
                        "https://kubernetes.default.svc." + input.dnsDomain()),
                new Argument("service-account-key-file", host.certificate("sa.pub")),
                new Argument("service-account-signing-key-file", host.certificate("sa.key")),
                new Argument("service-cluster-ip-range", input.serviceSubnet()),
                new Argument("tls-cert-file", host.certificate("apiserver.crt")),
                new Argument("tls-private-key-file", host.certificate("apiserver.key"))));
        // an authorization file and a list of modes exclude each other
        if (Argument.lastValue(input.options().extraArgs(), "authorization-config")
                .isEmpty()) {
            arguments.add(new Argument("authorization-mode", "Node,RBAC"));
        }
        arguments.addAll(input.etcd().arguments());
        return arguments;
    }

    private static StaticPod.Probes probes(Input input) {
        ProbeEndpoint endpoint = ProbeEndpoint.of(input.address(), "HTTPS");
        return new StaticPod.Probes(
                endpoint.startup("/livez", input.host().startupLimit()),
                endpoint.liveness("/livez"),
                Optional.of(endpoint.readiness("/readyz")));
    }

    private static List<HostVolume> volumes(Input input) {
        PodHost host = input.host();
        var volumes = new ArrayList<>(HostCaDirectories.volumes(host.caDirectories()));
        volumes.add(HostVolume.directory("k8s-certs", host.certificatesDir()));
        List<Path> directories =
                HostCaDirectories.uncovered(input.etcd().files(), host.certificatesDir());
        for (int i = 0; i < directories.size(); i++) {
            volumes.add(HostVolume.directory("etcd-certs-" + i, directories.get(i)));
        }
        return volumes;
    }
}
