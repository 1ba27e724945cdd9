import { KEY_BEGINNING } from '../keys/key-form.ts';
import { deviceMs } from './clock.ts';

/** How long words are kept at most, and how often that is looked at, in milliseconds. */
const KEPT_MS = 600_000;
const LOOK_MS = 30_000;
const STORED_AS = 'kept-words';
/**
 * A text in JSON that begins like a credential of any place, is an address with a password, or has one of the service's
 * own anywhere. A key of another prefix must be long enough for a secret: a name may be `my_test_project`.
 */
const CREDENTIAL = new RegExp(
  String.raw`"\s*(?:(?:bearer|basic)\s|${KEY_BEGINNING}|(?:whsec|sk|rk|ghp|xox[abp])[_-]|AKIA|eyJ|-----|https?://[^"/]*@)` +
    `|svc_(?:test|live|mgmt)_|${KEY_BEGINNING}[0-9a-z]{13}`,
  'i',
);

/** What was typed in forms, by the names of form and field. */
type Forms = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Kept {
  readonly person: string;
  readonly atMs: number;
  /** The page of the forms. */
  readonly path: string;
  readonly forms: Forms;
}

const typed = new Map<string, Map<string, unknown>>();
let signedIn: string | undefined;

/** Notes what is typed in a field. Undefined: what it had at first. No text with a credential is noted. */
export function noteTyped(form: string, field: string, value: unknown): void {
  const fields = typed.get(form) ?? new Map<string, unknown>();
  if (value === undefined || CREDENTIAL.test(JSON.stringify(value))) fields.delete(field);
  else fields.set(field, value);
  if (fields.size > 0) typed.set(form, fields);
  else typed.delete(form);
}

/** The session has ended: keeps what is typed at this moment, in this tab, for the same person and page. */
export function keepTyped(): void {
  if (signedIn !== undefined && typed.size > 0) {
    const forms = Object.fromEntries([...typed].map(([form, fields]) => [form, Object.fromEntries(fields)]));
    store({ person: signedIn, atMs: deviceMs(), path: location.pathname, forms });
  }
  signedIn = undefined;
}

/** This person is at this page: words of another person or of another page are deleted. */
export function noteSignedIn(person: string): void {
  signedIn = person;
  const kept = stored();
  if (kept && !isFor(kept, person)) dropKept();
}

/** The words that are kept for this person at this page. */
export function keptFor(person: string): Forms {
  const kept = stored();
  return kept && isFor(kept, person) ? kept.forms : {};
}

/** Deletes the words of a form, which has them again. */
export function dropForm(form: string): void {
  const kept = stored();
  if (!kept || !(form in kept.forms)) return;
  const { [form]: _shown, ...forms } = kept.forms;
  if (Object.keys(forms).length > 0) store({ ...kept, forms });
  else dropKept();
}

/** Deletes all of them: the person signs out. */
export const dropKept = (): void => store(undefined);

/** Deletes them when they are too old, until the returned function is called. */
export function expireKept(): () => void {
  const look = (): void => {
    const kept = stored();
    if (kept && !isFresh(kept)) dropKept();
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

function isFresh({ atMs }: Kept): boolean {
  const ageMs = deviceMs() - atMs;
  return ageMs >= 0 && ageMs < KEPT_MS;
}
const isFor = (kept: Kept, person: string): boolean =>
  kept.person === person && kept.path === location.pathname && isFresh(kept);

/** A browser without storage keeps nothing. */
function stored(): Kept | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(STORED_AS) ?? 'null') as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(STORED_AS, JSON.stringify(kept));
    else sessionStorage.removeItem(STORED_AS);
  } catch {
    // As above.
  }
}
