package io.kjadm.etcd.model;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/** A client of an {@link EtcdModel}, which has members and no databases. */
public abstract class ModelClient implements EtcdCluster {

    @Override
    public List<Alarm> alarms() {
        return List.of();
    }

    @Override
    public EtcdVersion validateDowngrade(EtcdVersion target) {
        throw new UnsupportedOperationException("no member stops in this test");
    }

    @Override
    public void enableDowngrade(EtcdVersion target) {
        throw new UnsupportedOperationException("no member stops in this test");
    }

    @Override
    public void cancelDowngrade() {
        throw new UnsupportedOperationException("no member stops in this test");
    }

    @Override
    public KvHash hashKv(URI clientUrl, long revision) {
        return new KvHash(revision, 0, Long.hashCode(revision));
    }

    @Override
    public long revision(URI clientUrl) {
        throw noDatabase();
    }

    @Override
    public void compact(long revision) {
        throw noDatabase();
    }

    @Override
    public void defragment(URI clientUrl, Duration limit) {
        throw noDatabase();
    }

    @Override
    public void disarm(Alarm alarm) {
        throw new UnsupportedOperationException("the model raises no alarm");
    }

    /** The model does not answer that. */
    static UnsupportedOperationException noDatabase() {
        return new UnsupportedOperationException("the model has no database");
    }

    @Override
    public void close() {
        // nothing is open
    }
}
