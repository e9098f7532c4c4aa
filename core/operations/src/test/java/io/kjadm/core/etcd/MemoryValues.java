package io.kjadm.core.etcd;

import io.kjadm.etcd.EtcdValues;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What kjadm notes in etcd, in memory; several may share the same values. */
public class MemoryValues implements EtcdValues {

    private final Map<String, String> values;

    public MemoryValues(Map<String, String> values) {
        this.values = values;
    }

    @Override
    public Optional<String> read(String key) {
        return Optional.ofNullable(values.get(key));
    }

    @Override
    public Map<String, String> readAll(String prefix) {
        Map<String, String> found = new TreeMap<>(values);
        found.keySet().removeIf(key -> !key.startsWith(prefix));
        return found;
    }

    @Override
    public boolean create(String key, String value) {
        return values.putIfAbsent(key, value) == null;
    }

    @Override
    public void write(String key, String value) {
        values.put(key, value);
    }

    @Override
    public void removeAll(String prefix) {
        values.keySet().removeIf(key -> key.startsWith(prefix));
    }

    @Override
    public boolean writeIf(String guard, String expected, String key, String value) {
        if (!expected.equals(values.get(guard))) {
            return false;
        }
        values.put(key, value);
        return true;
    }

    @Override
    public boolean removeAllIf(String guard, String expected, String prefix) {
        if (!expected.equals(values.get(guard))) {
            return false;
        }
        removeAll(prefix);
        return true;
    }

    @Override
    public void close() {}
}
