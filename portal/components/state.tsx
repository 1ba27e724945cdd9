import css from './state.module.css';

interface StateProps {
  readonly kind: 'good' | 'warn' | 'bad' | 'over' | 'wait';
  readonly children: string;
}

/** A state, shown by word, shape and colour. */
export const State = ({ kind, children }: StateProps) => (
  <span className={[css.state, css[kind]].join(' ')}>{children}</span>
);
