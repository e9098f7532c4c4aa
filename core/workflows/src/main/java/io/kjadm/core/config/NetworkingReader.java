package io.kjadm.core.config;

import io.kjadm.core.value.Cidr;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the cluster's networks. */
record NetworkingReader(TreeView view, Consumer<String> warnings) {

    private static final int MIN_SERVICE_ADDRESSES = 10;
    private static final int MIN_POD_ADDRESSES = 14;
    private static final int MAX_SERVICE_HOST_BITS = 20;
    private static final int MAX_NODE_MASK_DIFFERENCE = 16;
    private static final Cidr SITE_LOCAL = Cidr.parse("fec0::/10").orElseThrow();

    Networking read(ControlPlaneComponent controllerManager) {
        Networking networking = new Networking(
                view.textOr("serviceSubnet", Networking.DEFAULTS.serviceSubnet()),
                view.text("podSubnet"),
                view.textOr("dnsDomain", Networking.DEFAULTS.dnsDomain()));
        if (!Names.isSubdomain(networking.dnsDomain())) {
            view.invalid("dnsDomain", networking.dnsDomain(), "must be a DNS subdomain");
        }
        checkServices(networking.serviceSubnet());
        networking.podSubnet().ifPresent(subnet -> checkPods(subnet, controllerManager));
        return networking;
    }

    private void checkServices(String subnet) {
        for (Cidr cidr : networks("serviceSubnet", subnet, MIN_SERVICE_ADDRESSES)) {
            if (cidr.hostBits() > MAX_SERVICE_HOST_BITS) {
                int shortest = cidr.network().getAddress().length * 8 - MAX_SERVICE_HOST_BITS;
                view.invalid(
                        "serviceSubnet",
                        cidr.text(),
                        "the network is too large, the mask must be at least /" + shortest);
            }
        }
    }

    private void checkPods(String subnet, ControlPlaneComponent controllerManager) {
        List<Cidr> networks = networks("podSubnet", subnet, MIN_POD_ADDRESSES);
        if (controllerManager.extraArg("allocate-node-cidrs").equals(Optional.of("false"))) {
            return;
        }
        for (Cidr cidr : networks) {
            checkNodeMask(cidr, controllerManager);
        }
    }

    /** Every node gets a part of the pod network, so it has to be larger than such a part. */
    private void checkNodeMask(Cidr cidr, ControlPlaneComponent controllerManager) {
        String argument = "node-cidr-mask-size-" + (cidr.isIpv6() ? "ipv6" : "ipv4");
        String text = controllerManager.extraArg(argument).orElse(cidr.isIpv6() ? "64" : "24");
        if (!text.matches("[0-9]{1,3}")) {
            view.invalid(
                    "podSubnet",
                    cidr.text(),
                    "the argument %s, \"%s\", is not a whole number".formatted(argument, text));
            return;
        }
        int nodeMask = Integer.parseInt(text);
        if (cidr.prefixBits() > nodeMask) {
            view.invalid(
                    "podSubnet",
                    cidr.text(),
                    "the network (/%d) is smaller than the part ".formatted(cidr.prefixBits())
                            + "each node gets (/%d)".formatted(nodeMask));
        } else if (nodeMask - cidr.prefixBits() > MAX_NODE_MASK_DIFFERENCE) {
            view.invalid(
                    "podSubnet",
                    cidr.text(),
                    "the sizes of the network (/%d) and of each ".formatted(cidr.prefixBits())
                            + "node's part (/%d) differ by more than %d bits"
                                    .formatted(nodeMask, MAX_NODE_MASK_DIFFERENCE));
        }
    }

    private List<Cidr> networks(String field, String subnet, int minimum) {
        List<Cidr> networks;
        try {
            networks = Cidr.parseList(subnet);
        } catch (IllegalArgumentException e) {
            view.invalid(field, subnet, e.getMessage());
            return List.of();
        }
        if (networks.size() > 2) {
            view.invalid(field, subnet, "at most one network of each family is possible");
        } else if (networks.size() == 2
                && networks.getFirst().isIpv6() == networks.getLast().isIpv6()) {
            view.invalid(field, subnet, "dual stack needs one IPv4 and one IPv6 network");
        }
        for (Cidr cidr : networks) {
            if (cidr.size().compareTo(BigInteger.valueOf(minimum)) < 0) {
                view.invalid(
                        field,
                        cidr.text(),
                        "the network has %s addresses, at least %d are "
                                        .formatted(cidr.size(), minimum)
                                + "needed");
            }
            if (cidr.overlaps(SITE_LOCAL)) {
                warnings.accept("networking.%s %s: site-local addresses (%s) are deprecated"
                        .formatted(field, cidr, SITE_LOCAL));
            }
        }
        return networks;
    }
}
