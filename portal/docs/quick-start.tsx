import { Link } from 'wouter';
import { CodeBlock } from '../components/code-block.tsx';
import { pages } from '../routes.ts';
import { DocsFrame } from './docs-frame.tsx';
import { AddressNote, PortalNote, Sum, useGatewayUrl, useRegistryPackages } from './gateway-address.tsx';
import { curlPing, ENTER_KEY, installPython, installTypescript, pythonPing, typescriptPing } from './samples.ts';
import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../gateway/packages.ts';
import { Section } from './section.tsx';
import { useAnchor } from './use-anchor.ts';

/** The page from a key to a first answer. */
export function QuickStart() {
  const gatewayUrl = useGatewayUrl();
  const packages = useRegistryPackages();
  useAnchor();
  return (
    <DocsFrame title="Quick start" about="A first request with your key, in the language that you use.">
      <AddressNote />
      <PortalNote />
      <Section id="install" title="1. The library">
        <p>
          curl is enough for a first ping. The library waits and repeats for you, and a call is charged once. Install it
          in a new folder, before a key is in the environment. For TypeScript and JavaScript:
        </p>
        <CodeBlock
          text={installTypescript(location.origin, packages)}
          what="the command that installs the TypeScript library"
        />
        {packages.npm === null && <Sum of={TYPESCRIPT_PACKAGE} />}
        <p>For Python:</p>
        <CodeBlock
          text={installPython(location.origin, packages)}
          what="the command that installs the Python library"
        />
        {packages.pypi === null && <Sum of={PYTHON_PACKAGE} />}
      </Section>
      <Section id="key" title="2. A key in the environment">
        <p>
          Create a key under <Link href={pages.home}>Projects</Link>. You see it once. Enter this in bash or zsh, paste
          the key and press Enter. The terminal does not show it, and its history does not keep it.
        </p>
        <CodeBlock text={ENTER_KEY} what="the command that takes the key" />
        <p>
          A key belongs in the environment of a server. Never put it in a page, an address, a repository or a browser’s
          storage.
        </p>
      </Section>
      <Section id="curl" title="3. A first ping">
        <p>
          A ping proves that the key works. It answers 200 with <code>{'"ok": true'}</code>, and costs 1 request unit.
        </p>
        <CodeBlock text={curlPing(gatewayUrl)} gatewayUrl={gatewayUrl} what="the curl command" />
      </Section>
      <Section id="typescript" title="With TypeScript">
        <p>
          Save this as <code>ping.mjs</code> and run <code>node ping.mjs</code>. It needs Node 20.3 or newer; it runs in
          Deno and Bun, too.
        </p>
        <CodeBlock text={typescriptPing(gatewayUrl)} gatewayUrl={gatewayUrl} what="the TypeScript program" />
      </Section>
      <Section id="python" title="With Python">
        <p>
          Save this as <code>ping.py</code> and run <code>.venv/bin/python ping.py</code>. It needs Python 3.10 or
          newer.
        </p>
        <CodeBlock text={pythonPing(gatewayUrl)} gatewayUrl={gatewayUrl} what="the Python program" />
      </Section>
      <Section id="next" title="4. What came of it">
        <p>
          The request is on the page Usage of your project within seconds, with what it cost. Was it refused? The{' '}
          <code>code</code> of the answer says why: see <Link href={pages.errors}>Errors</Link>. Before you build on it,
          read how to <Link href={`${pages.idempotency}#retries`}>repeat a request safely</Link>.
        </p>
      </Section>
    </DocsFrame>
  );
}
