import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * The provider's data in memory. A restart ends its own sessions, but not the portal's. The provider's
 * own adapter in memory writes warnings to standard output.
 */
export function memoryStore(): (model: string) => Adapter {
  const entries = new Map<string, Entry>();

  const find = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    if (entry && entry.expiresAtMs <= Date.now()) entries.delete(key);
    return entries.get(key)?.payload;
  };
  /** The first item of a model with a property. */
  const findBy = (model: string, property: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
    for (const [key, { payload }] of entries) {
      if (key.startsWith(`${model}:`) && payload[property] === value) return find(key);
    }
    return undefined;
  };

  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    return {
      upsert: (id, payload, expiresInSeconds = Infinity) => {
        for (const [key, { expiresAtMs }] of entries) if (expiresAtMs <= Date.now()) entries.delete(key);
        entries.set(keyOf(id), { payload, expiresAtMs: Date.now() + expiresInSeconds * 1_000 });
        return Promise.resolve();
      },
      find: (id) => Promise.resolve(find(keyOf(id))),
      findByUid: (uid) => Promise.resolve(findBy(model, 'uid', uid)),
      findByUserCode: (userCode) => Promise.resolve(findBy(model, 'userCode', userCode)),
      consume: (id) => {
        const payload = find(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1_000);
        return Promise.resolve();
      },
      destroy: (id) => {
        entries.delete(keyOf(id));
        return Promise.resolve();
      },
      revokeByGrantId: (grantId) => {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
        return Promise.resolve();
      },
    };
  };
}
