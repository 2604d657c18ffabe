/** A key of the file holds a value of another type, or in a notation that is not changed here. */
export class WrongShape extends Error {
  readonly place: string;

  constructor(place: string) {
    super('wrong shape');
    this.place = place;
  }
}
