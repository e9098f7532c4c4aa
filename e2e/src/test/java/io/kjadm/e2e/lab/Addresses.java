package io.kjadm.e2e.lab;

import com.github.dockerjava.api.command.CreateContainerCmd;

/** How the machines of one lab are numbered. */
sealed interface Addresses {
    /** The lab's network, as a prefix. */
    String subnet();

    /** The address of the machine with this number, which is from 2 to 254. */
    String of(int number);

    /** Gives a container that address. */
    void assign(CreateContainerCmd command, int number);

    /** The {@code index}th of the IPv4 networks. */
    record Ipv4(int index) implements Addresses {
        @Override
        public String subnet() {
            return "10.88.%d.0/24".formatted(index);
        }

        @Override
        public String of(int number) {
            return "10.88.%d.%d".formatted(index, number);
        }

        @Override
        public void assign(CreateContainerCmd command, int number) {
            command.withIpv4Address(of(number));
        }
    }

    /**
     * The {@code index}th of the IPv6 networks; the engine adds IPv4 addresses, which nobody uses.
     * Networks are counted from 1, as a group of zeros would be left out of the canonical form.
     */
    record Ipv6(int index) implements Addresses {
        @Override
        public String subnet() {
            return "fd00:10:88:%x::/64".formatted(index + 1);
        }

        @Override
        public String of(int number) {
            return "fd00:10:88:%x::%x".formatted(index + 1, number);
        }

        @Override
        public void assign(CreateContainerCmd command, int number) {
            command.withIpv6Address(of(number));
        }
    }
}
