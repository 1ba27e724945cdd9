import { execute, type Call, type CallOptions, type Operation } from './execute.ts';
import * as api from './manage-api.ts';
import { settingsOf, type ClientOptions, type Settings } from './settings.ts';

export type { Call, CallOptions, WithResponse } from './execute.ts';
export type * from './manage-api.ts';
export type { ClientOptions } from './settings.ts';

/** Options of a {@link SandboxManagement}. */
export interface SandboxManagementOptions extends ClientOptions {
  /** A management token, `svc_mgmt_…`. Default: `SANDBOX_MANAGEMENT_TOKEN` of the environment. */
  readonly token?: string | undefined;
}

type Ids = Readonly<Record<string, string>>;
/** The entries of a list, page after page. */
type Entries<Entry> = AsyncGenerator<Entry, void, undefined>;

/** A part of the API. The result of a call is the body of its answer. */
class Resource {
  readonly #settings: Settings;
  constructor(settings: Settings) {
    this.#settings = settings;
  }

  protected call<Data>(operation: Operation<Data>, ids: Ids, request: object, options: CallOptions): Call<Data> {
    return execute(this.#settings, operation, request, options, ({ data }) => data, ids);
  }

  protected async *all<Page extends { readonly cursor: string | null }, Entry>(
    operation: Operation<Page>,
    entriesOf: (page: Page) => readonly Entry[],
    ids: Ids,
    filter: object,
    options: CallOptions,
  ): Entries<Entry> {
    for (let request = filter; ;) {
      const page = await this.call(operation, ids, request, options);
      yield* entriesOf(page);
      if (page.cursor === null) return;
      request = { ...filter, cursor: page.cursor };
    }
  }
}

/** What keys and the quota belong to. */
class Projects extends Resource {
  /** Those that the token may use, with their quota, in the order of their ids. */
  list(options: CallOptions = {}): Entries<api.Project> {
    return this.all(api.listProjects, ({ projects }) => projects, {}, {}, options);
  }
}

/** Keys of a project. */
class Keys extends Resource {
  /** Active ones first; ended ones for 90 days. `limit` is of a page. */
  list(projectId: string, filter: api.ListKeysQuery = {}, options: CallOptions = {}): Entries<api.Key> {
    return this.all(api.listKeys, ({ keys }) => keys, { projectId }, filter, options);
  }

  /** What is known of a key; the key itself is not. */
  get(projectId: string, keyId: string, options: CallOptions = {}): Call<api.Key> {
    return this.call(api.readKey, { projectId, keyId }, {}, options);
  }

  /**
   * Makes a key, whose `key` is shown this once. All attempts have one Idempotency-Key: where an answer is lost, there is
   * one key all the same, and its secret is the one that is given here.
   */
  create(projectId: string, key: api.NewKey = {}, options: CallOptions = {}): Call<api.KeyCreated> {
    return this.call(api.createKey, { projectId }, key, options);
  }

  /** Changes what is given, from the next request of the key on. */
  update(projectId: string, keyId: string, changes: api.KeyChanges, options: CallOptions = {}): Call<api.Key> {
    return this.call(api.updateKey, { projectId, keyId }, changes, options);
  }

  /** Makes a key in the place of this one, which works until the end of its grace. As `create`. */
  rotate(
    projectId: string,
    keyId: string,
    rotation: api.Rotation = {},
    options: CallOptions = {},
  ): Call<api.KeyCreated> {
    return this.call(api.rotateKey, { projectId, keyId }, rotation, options);
  }

  /** Ends a key: its next request is refused. Done again, it changes nothing. */
  revoke(projectId: string, keyId: string, options: CallOptions = {}): Call<api.Key> {
    return this.call(api.revokeKey, { projectId, keyId }, {}, options);
  }
}

/** What the ledger has of a project, in sums. */
class Usages extends Resource {
  /** By day, by hour or by key. While `complete` is false, ask again: each request sums further. */
  get(projectId: string, query: api.ReadUsageQuery = {}, options: CallOptions = {}): Call<api.Usage> {
    return this.call(api.readUsage, { projectId }, query, options);
  }
}

/** Requests to the gateway. */
class Requests extends Resource {
  /** The newest first. `limit` is of a page. */
  list(projectId: string, filter: api.ListRequestsQuery = {}, options: CallOptions = {}): Entries<api.RequestSummary> {
    return this.all(api.listRequests, ({ requests }) => requests, { projectId }, filter, options);
  }

  /** A request by its id, of any project that the token may use, and why it was refused. */
  get(requestId: string, options: CallOptions = {}): Call<api.RequestDetails> {
    return this.call(api.readRequest, { requestId }, {}, options);
  }
}

/** A client of the management API: keys, usage and requests by program, with a management token. For servers. */
export class SandboxManagement {
  /** Address of the management API. */
  readonly baseURL: string;
  /** What keys and the quota belong to. */
  readonly projects: Projects;
  /** Keys of a project. */
  readonly keys: Keys;
  /** What the ledger has of a project, in sums. */
  readonly usage: Usages;
  /** Requests to the gateway. */
  readonly requests: Requests;

  constructor(options: SandboxManagementOptions = {}) {
    const settings = settingsOf('SandboxManagement', options);
    this.baseURL = settings.baseURL;
    this.projects = new Projects(settings);
    this.keys = new Keys(settings);
    this.usage = new Usages(settings);
    this.requests = new Requests(settings);
  }
}
