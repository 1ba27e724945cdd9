import type { ReactNode, Ref } from 'react';
import type { LucideIcon } from 'lucide-react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link } from 'wouter';
import css from './button.module.css';
import { Icon } from './icon.tsx';

interface Look {
  /** `primary` at most once a page. `danger` for what destroys; it is never primary. `quiet` in lists. */
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  /** Before the text. */
  readonly icon?: LucideIcon | undefined;
  readonly isBig?: boolean;
}

interface ButtonProps extends Look, Omit<AriaButtonProps, 'className' | 'children'> {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** The class of an element that looks like a button and is rendered elsewhere. */
export const classOf = ({ kind, isBig = false }: Look, isPending = false): string =>
  [css.button, kind && css[kind], isBig && css.big, isPending && css.pending].filter(Boolean).join(' ');

/**
 * A button. It does not prevent a second press: the action itself ignores a second call. While `isPending` the button
 * only shows that.
 */
export const Button = ({ kind, icon, isBig, isPending = false, children, ...props }: ButtonProps) => (
  <AriaButton {...props} className={classOf({ kind, ...(isBig && { isBig }) }, isPending)}>
    {icon && <Icon of={icon} />}
    {children}
    {isPending && ' …'}
  </AriaButton>
);

interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly icon: LucideIcon;
  /** The name of the action, since the button shows no text. */
  readonly 'aria-label': string;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon only. */
export const IconButton = ({ icon, ...props }: IconButtonProps) => (
  <AriaButton {...props} className={css.iconButton ?? ''}>
    <Icon of={icon} />
  </AriaButton>
);

interface ButtonLinkProps extends Look {
  readonly href: string;
  /** Leaves the app by a plain navigation. */
  readonly isAway?: boolean;
  /** After the text. */
  readonly iconAfter?: LucideIcon;
  readonly children: ReactNode;
}

/** A link that looks like a button. */
export const ButtonLink = ({ href, isAway = false, icon, iconAfter, children, ...look }: ButtonLinkProps) => {
  const content = (
    <>
      {icon && <Icon of={icon} />}
      {children}
      {iconAfter && <Icon of={iconAfter} />}
    </>
  );
  return isAway ? (
    <a href={href} className={classOf(look)}>
      {content}
    </a>
  ) : (
    <Link href={href} className={classOf(look)}>
      {content}
    </Link>
  );
};
