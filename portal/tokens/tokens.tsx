import { useState } from 'react';
import { Ban, KeyRound, Plus } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answer, api } from '../api/client.ts';
import { projectsQuery } from '../api/queries.ts';
import { useDialogChange } from '../components/use-dialog-change.ts';
import { Button } from '../components/button.tsx';
import { Card, Muted } from '../components/card.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { List } from '../components/list.tsx';
import { Loaded } from '../components/loaded.tsx';
import { MenuButton } from '../components/menu.tsx';
import { OnceDialog } from '../components/once-dialog.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useIsKept, useKept } from '../components/use-kept.ts';
import { CURL_PROJECTS, ENTER_TOKEN } from '../docs/samples.ts';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';
import { tokensQuery, type NewToken, type Token, type TokenDetails, type TokenScope } from './token-queries.ts';
import css from './tokens.module.css';
import { activeOf, SCOPE_WORDS } from './words.ts';
import { useAction } from '../api/use-action.ts';
import { TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { LifetimeChoice } from '../components/lifetime-choice.tsx';
import { Several, useSeveral } from '../components/several.tsx';
import { Select } from '../components/select.tsx';
import { nameProblem } from '../text/names.ts';

/** The limit of an account. */
const MOST = 10;

/** The management tokens of an account, for its owners. */
export function Tokens({ account: { accountId } }: AccountPage) {
  const query = useQuery(tokensQuery(accountId));
  const { data = [] } = query;
  const [isAdding, setAdding] = useState(useIsKept()('new token'));
  const [wasFirst, setFirst] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const [made, setMade] = useState<NewToken>();
  const show = (token: NewToken): void => {
    setFirst(data.length === 0);
    setMade(token);
    setAdding(false);
  };
  // After the first, the one beside the title comes in place of the one that had the focus.
  const add = (isMain: boolean) => (
    <Button icon={Plus} kind={isMain ? 'primary' : undefined} autoFocus={wasFirst} onPress={() => setAdding(true)}>
      Create token
    </Button>
  );
  return (
    <>
      <Card title="Management tokens" action={data.length > 0 && activeOf(data).length < MOST && add(false)} isFlush>
        <Loaded query={query} what="the management tokens">
          {(tokens) =>
            tokens.length === 0 ? (
              <Empty icon={KeyRound} title="No token yet." action={add(true)}>
                With a token a program makes and ends keys and reads usage: CI, Terraform, a vault.{' '}
                <Link href={pages.automation}>How it works</Link>
              </Empty>
            ) : (
              <TokenList accountId={accountId} tokens={tokens} onRevoke={setRevoking} />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <NewTokenDialog accountId={accountId} onClose={() => setAdding(false)} onToken={show} />}
      {revoking && <RevokeToken accountId={accountId} token={revoking} onClose={() => setRevoking(undefined)} />}
      {made && (
        <OnceDialog
          title="Your management token. You see it only now"
          about="We keep only its hash. Put it into the secrets of the program that uses it."
          secret={made.token}
          what="token"
          onClosed={() => setMade(undefined)}
        >
          <CodeBlock text={ENTER_TOKEN} what="the command that takes the token" />
          <p>Paste the token and press Enter. It works at this address, not at the gateway. Its first call:</p>
          <CodeBlock text={CURL_PROJECTS} what="the first call" />
          <p>
            Programs that make keys and read usage are under{' '}
            <a href={pages.automation} target="_blank" rel="noreferrer">
              Automation
            </a>
            .
          </p>
        </OnceDialog>
      )}
    </>
  );
}

interface TokenListProps {
  readonly accountId: string;
  readonly tokens: readonly Token[];
  readonly onRevoke: (token: Token) => void;
}

function TokenList({ accountId, tokens, onRevoke }: TokenListProps) {
  const { data: projects = [] } = useQuery(projectsQuery(accountId));
  const projectOf = (id: string): string => projects.find(({ projectId }) => projectId === id)?.name ?? id;
  const actionsOf = (token: Token) => [
    {
      entries: [{ id: 'end', words: 'Revoke …', icon: Ban, isDanger: true, onAction: () => onRevoke(token) }],
    },
  ];
  return (
    <List
      label="Management tokens"
      items={tokens}
      idOf={({ tokenId }) => tokenId}
      columns={[
        {
          heading: 'Name',
          narrow: 'lead',
          cell: ({ name, lastFour }) => (
            <>
              <bdi className={css.name}>{name}</bdi> <Muted>…{lastFour}</Muted>
            </>
          ),
        },
        { heading: 'State', narrow: 'second', cell: (token) => <TokenState of={token} /> },
        {
          heading: 'May',
          narrow: 'below',
          cell: ({ scopes, projectId }) => (
            <>
              <code translate="no">{scopes.join(' ')}</code>{' '}
              <Muted>{projectId === null ? 'in all projects' : <bdi>in {projectOf(projectId)}</bdi>}</Muted>
            </>
          ),
        },
        {
          heading: 'Last used',
          narrow: 'secondEnd',
          cell: ({ lastUsed }) => (lastUsed === null ? <Muted>never</Muted> : <Time of={lastUsed} as="ago" />),
        },
        {
          heading: 'Actions',
          isActions: true,
          cell: (token) =>
            token.status === 'active' && <MenuButton label={`Actions of ${token.name}`} groups={actionsOf(token)} />,
        },
      ]}
    />
  );
}

function TokenState({ of: { status, expiresAt } }: { readonly of: Token }) {
  if (status === 'revoked') return <State kind="over">Revoked</State>;
  if (status === 'expired') return <State kind="over">Expired</State>;
  return (
    <>
      <State kind="good">Active</State>{' '}
      <Muted>
        until <Time of={expiresAt} as="day" />
      </Muted>
    </>
  );
}

interface RevokeTokenProps {
  readonly accountId: string;
  readonly token: Token;
  readonly onClose: () => void;
}

/** Asks, and revokes a token. */
function RevokeToken({ accountId, token, onClose }: RevokeTokenProps) {
  const params = { path: { accountId, tokenId: token.tokenId } };
  const action = useDialogChange<undefined, unknown>(
    onClose,
    () => answer(api.POST('/api/accounts/{accountId}/tokens/{tokenId}/revoke', { params })),
    () => 'The token is revoked.',
  );
  return (
    <ConfirmDialog
      title={
        <>
          Revoke the token <bdi>{token.name}</bdi>?
        </>
      }
      action={action}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      word="Revoke token"
      isDanger
    >
      <p>Its next request is refused. Keys that it made still work. You cannot undo this.</p>
    </ConfirmDialog>
  );
}

interface NewTokenProps {
  readonly accountId: string;
  readonly onClose: () => void;
  /** It alone holds the token then. */
  readonly onToken: (token: NewToken) => void;
}

/** Creates a management token. */
function NewTokenDialog({ accountId, onClose, onToken }: NewTokenProps) {
  const [name, setName] = useKept('new token', 'name', '');
  const scopes = useSeveral<TokenScope>('new token', 'scopes', ['keys:read', 'keys:write']);
  const [projectId, setProjectId] = useKept('new token', 'project', '');
  const [lifetime, setLifetime] = useKept<'1' | '7' | '30' | '90'>('new token', 'lifetime', '30');
  const { data: projects = [] } = useQuery(projectsQuery(accountId));
  const action = useAction((body: TokenDetails, header) => {
    const params = { path: { accountId }, header };
    return answer(api.POST('/api/accounts/{accountId}/tokens', { body, params }));
  }, onToken);
  const submit = (): void => {
    if (scopes.isNone()) return;
    const details = { name: name.trim(), scopes: [...scopes.chosen], expiresInDays: Number(lifetime) };
    action.run({ ...details, ...(projectId !== '' && { projectId }) });
  };
  return (
    <FormDialog
      title="Create a management token"
      about="A program uses it to manage keys and to read usage, as CI or Terraform."
      onClose={onClose}
      action={action}
      problems={{ name: nameProblem(name) }}
      onSubmit={submit}
      word="Create token"
    >
      <TextField
        label="Name of the token"
        name="name"
        value={name}
        onChange={setName}
        hint="Name the program that uses it. The audit shows this name."
        autoFocus
      />
      <Several label="It may" choice={scopes} options={SCOPE_WORDS} />
      <Select
        label="In"
        value={projectId}
        onChange={setProjectId}
        options={[['', 'All projects'], ...projects.map((project) => [project.projectId, project.name] as const)]}
      />
      <LifetimeChoice
        label="Expires"
        name="expiresInDays"
        value={lifetime}
        onChange={setLifetime}
        options={[
          ['1', '1 day'],
          ['7', '7 days'],
          ['30', '30 days'],
          ['90', '90 days'],
        ]}
      />
    </FormDialog>
  );
}
