package io.kjadm.cli.output;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The fields of an object of {@code -o}, in the order in which they are written. */
public final class Fields {

    private final Map<String, Object> values = new LinkedHashMap<>();

    public Fields put(String name, Object value) {
        values.put(name, value);
        return this;
    }

    /** An object in this one. */
    public Fields put(String name, Fields inner) {
        return put(name, inner.values);
    }

    /** One object for each item. */
    public <T> Fields put(String name, Collection<T> items, Function<? super T, Fields> fields) {
        return put(name, items.stream().map(item -> fields.apply(item).values).toList());
    }

    /** The fields of a value, if there is one, behind those that are here. */
    public <T> Fields put(Optional<T> value, Function<? super T, Fields> fields) {
        value.ifPresent(one -> values.putAll(fields.apply(one).values));
        return this;
    }

    /** A field only if there is a value. */
    public Fields ifAny(String name, Optional<?> value) {
        value.ifPresent(one -> put(name, one));
        return this;
    }

    /** A field only if there is text. */
    public Fields ifAny(String name, String text) {
        return text.isEmpty() ? this : put(name, text);
    }

    /** An object only if there is a value. */
    public <T> Fields ifAny(String name, Optional<T> value, Function<? super T, Fields> fields) {
        value.ifPresent(one -> put(name, fields.apply(one)));
        return this;
    }

    /** A field only if there are items. */
    public Fields ifAny(String name, Collection<?> items) {
        return items.isEmpty() ? this : put(name, items);
    }

    /** One object for each item, if there are any. */
    public <T> Fields ifAny(String name, Collection<T> items, Function<? super T, Fields> fields) {
        return items.isEmpty() ? this : put(name, items, fields);
    }

    /** An object of kubeadm's. */
    public Map<String, Object> object(String kind) {
        return OutputFormat.object(kind, values);
    }

    /** An object that only this program knows. */
    public Map<String, Object> ownObject(String kind) {
        return OutputFormat.ownObject(kind, values);
    }
}
