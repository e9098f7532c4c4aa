package io.kjadm.etcd;

/** The subject of a finding about etcd or about an upgrade. */
public interface CheckName {

    /** The name in lists, and the one under which operators skip what can be skipped. */
    String checkName();
}
