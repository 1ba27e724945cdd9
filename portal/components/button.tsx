import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import css from './button.module.css';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  /** `primary` once a page at most; `danger` for what destroys, never the primary one; `quiet` in lists. */
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** A button. What it does guards itself against being done twice; while `isPending` the button only says so. */
export const Button = ({ kind, isPending = false, children, ...props }: ButtonProps) => (
  <AriaButton
    {...props}
    className={[css.button, kind && css[kind], isPending && css.pending].filter(Boolean).join(' ')}
  >
    {children}
    {isPending && ' …'}
  </AriaButton>
);

/** A link to another page of the site that looks like a button, as a plain navigation. */
export const ButtonLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <a href={href} className={[css.button, css.primary].join(' ')}>
    {children}
  </a>
);
