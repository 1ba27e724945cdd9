import {
  BookOpen,
  ChartColumn,
  Code,
  House,
  KeyRound,
  ScrollText,
  Settings,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { useRoute } from 'wouter';
import type { Account } from '../api/queries.ts';
import { pages } from '../routes.ts';

/** An entry of the navigation. */
export interface Place {
  readonly words: string;
  readonly icon: LucideIcon;
  readonly to: string;
  /** The prefix of the addresses that belong to it. Without it: those under `to`. */
  readonly parts?: string;
  /** The screens that have it. What narrow ones lack is in the person's menu there. */
  readonly only?: 'wide' | 'narrow' | undefined;
}

/** The places of an account for a role. On a narrow screen those of the open project take the room of some others. */
export function usePlaces(account: Account | undefined): { readonly places: readonly Place[]; readonly docs: Place } {
  const [isInProject, params] = useRoute(`${pages.account(':accountId')}/projects/:projectId/*?`);
  const only = isInProject ? 'wide' : undefined;
  const docs = { words: 'Docs', icon: BookOpen, to: pages.docs, only } as const;
  if (!account) return { places: [], docs };
  const { accountId, role } = account;
  const home = pages.account(accountId);
  const ofProject = ({ projectId }: { readonly projectId: string }): Place[] => [
    { words: 'Keys', icon: KeyRound, to: pages.keys(accountId, projectId), only: 'narrow' },
    { words: 'Usage', icon: ChartColumn, to: pages.usage(accountId, projectId), only: 'narrow' },
  ];
  const ofOwners: readonly Place[] = [
    { words: 'Audit', icon: ScrollText, to: pages.audit(accountId), only: 'wide' },
    { words: 'Developers', icon: Code, to: pages.developers(accountId), only: 'wide' },
  ];
  const places: readonly Place[] = [
    { words: 'Home', icon: House, to: home, parts: `${home}/projects/` },
    ...(isInProject ? ofProject(params) : []),
    { words: 'Team', icon: Users, to: pages.team(accountId), only },
    ...(role === 'owner' ? ofOwners : []),
    { words: 'Settings', icon: Settings, to: pages.settings(accountId), only: 'wide' },
  ];
  return { places, docs };
}
